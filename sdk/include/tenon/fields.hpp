// SPDX-License-Identifier: Apache-2.0
// A struct's fields, named once: from them come its JSON Schema, its reading and its writing.
//
//     struct Greet { std::string name; std::optional<std::int64_t> times; };
//     TENON_FIELDS(Greet, name, times)            // or, with words and bounds:
//
//     inline void describe(tenon::Fields<Greet> &f) {
//         f.field("name", &Greet::name, "Who to greet.").minLength(1);
//         f.field("times", &Greet::times, "How often.").range(1, 10);
//     }
//
// Types: bool, integers, floating point, std::string, std::optional, std::vector,
// std::map<std::string, T>, other described structs, and tenon::Json for any value.
#pragma once

#include <tenon/json.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

template <class T> class Fields;

// A struct is described when describe(Fields<T>&) is found beside it.
template <class T>
concept Described = std::is_class_v<T> && requires(Fields<T> &fields) {
    describe(fields);
};

template <class T> struct Codec; // schema(), read(reader, out), write(writer, value)

// What a field says of itself beyond its type. Each returns itself, so that they chain.
class FieldNotes {
public:
    FieldNotes &minLength(std::uint64_t n) { return note("minLength", n); }
    FieldNotes &maxLength(std::uint64_t n) { return note("maxLength", n); }
    FieldNotes &minItems(std::uint64_t n) { return note("minItems", n); }
    FieldNotes &maxItems(std::uint64_t n) { return note("maxItems", n); }
    FieldNotes &pattern(std::string_view ecma) { return raw("pattern", quoted(ecma)); }
    FieldNotes &format(std::string_view name) { return raw("format", quoted(name)); }
    FieldNotes &range(double min, double max) {
        return raw("minimum", JsonWriter().number(min).take())
            .raw("maximum", JsonWriter().number(max).take());
    }
    FieldNotes &oneOf(std::initializer_list<std::string_view> words) {
        JsonWriter list;
        list.beginArray();
        for (const auto word : words) {
            list.string(word);
        }
        return raw("enum", list.endArray().take());
    }
    // The key may be left out: the field then keeps what the struct initialises it with.
    FieldNotes &optional() {
        required_ = false;
        return *this;
    }
    // Any other schema keyword, its value as JSON. The last word on a keyword stands.
    FieldNotes &raw(std::string_view keyword, std::string_view json) {
        for (auto &[known, value] : keywords_) {
            if (known == keyword) {
                value = json;
                return *this;
            }
        }
        keywords_.emplace_back(keyword, json);
        return *this;
    }
    FieldNotes &description(std::string_view text) {
        return text.empty() ? *this : raw("description", quoted(text));
    }

    bool required() const { return required_; }
    // schema, the text of an object, with these keywords added or in the place of its own.
    std::string onto(const std::string &schema) const {
        JsonWriter out;
        out.beginObject();
        JsonReader(schema).object([&](std::string_view key, JsonReader &value) {
            const auto text = value.raw();
            const auto same = [&](const auto &note) { return note.first == key; };
            if (std::none_of(keywords_.begin(), keywords_.end(), same)) {
                out.key(key).raw(text);
            }
        });
        for (const auto &[keyword, value] : keywords_) {
            out.key(keyword).raw(value);
        }
        return out.endObject().take();
    }

private:
    FieldNotes &note(std::string_view keyword, std::uint64_t value) {
        return raw(keyword, JsonWriter().unsignedInteger(value).take());
    }
    static std::string quoted(std::string_view text) { return JsonWriter().string(text).take(); }

    std::vector<std::pair<std::string, std::string>> keywords_;
    bool required_ = true;
};

template <class T> class Fields {
public:
    template <class Member>
    FieldNotes &field(std::string name, Member T::*member, std::string_view description = {}) {
        Entry &entry = entries_.emplace_back();
        entry.name = std::move(name);
        entry.schema = &fieldSchema<Member>;
        entry.read = [member](JsonReader &in, T &out) { Codec<Member>::read(in, out.*member); };
        entry.write = [member](JsonWriter &out, const T &in) {
            Codec<Member>::write(out, in.*member);
        };
        if constexpr (requires(const T &in) { (in.*member).has_value(); }) {
            entry.notes.optional();
            entry.present = [member](const T &in) { return (in.*member).has_value(); };
        }
        return entry.notes.description(description);
    }

    // The fields of T, made once in this plugin: hidden, since two plugins may each have a T.
    [[gnu::visibility("hidden")]] static const Fields &of() {
        static const Fields fields = [] {
            Fields made;
            describe(made);
            return made;
        }();
        return fields;
    }

    std::string schema() const {
        JsonWriter out;
        out.beginObject().key("type").string("object").key("properties").beginObject();
        for (const Entry &entry : entries_) {
            out.key(entry.name).raw(entry.notes.onto(entry.schema()));
        }
        out.endObject();
        writeRequired(out);
        return out.key("additionalProperties").boolean(false).endObject().take();
    }

    void read(JsonReader &in, T &out) const {
        in.object([&](std::string_view key, JsonReader &value) {
            for (const Entry &entry : entries_) {
                if (entry.name == key) {
                    readNamed(entry, value, out);
                    return;
                }
            }
            value.raw(); // the schema refuses other keys before this is reached
        });
    }

    void write(JsonWriter &out, const T &in) const {
        out.beginObject();
        for (const Entry &entry : entries_) {
            if (!entry.present || entry.present(in)) {
                out.key(entry.name);
                entry.write(out, in);
            }
        }
        out.endObject();
    }

private:
    struct Entry {
        std::string name;
        std::string (*schema)() = nullptr;
        std::function<void(JsonReader &, T &)> read;
        std::function<void(JsonWriter &, const T &)> write;
        std::function<bool(const T &)> present; // empty: always written
        FieldNotes notes;
    };
    // An optional field may be left out, and is not null: it has the schema of what it holds.
    template <class Member> static std::string fieldSchema() {
        if constexpr (requires {
                          typename Member::value_type;
                          std::declval<Member>().has_value();
                      }) {
            return Codec<typename Member::value_type>::schema();
        } else {
            return Codec<Member>::schema();
        }
    }
    static void readNamed(const Entry &entry, JsonReader &value, T &out) {
        try {
            entry.read(value, out);
        } catch (const JsonError &error) {
            throw JsonError("/" + entry.name + (error.what()[0] == '/' ? "" : ": ") + error.what());
        }
    }
    void writeRequired(JsonWriter &out) const {
        JsonWriter names;
        names.beginArray();
        bool any = false;
        for (const Entry &entry : entries_) {
            if (entry.notes.required()) {
                names.string(entry.name);
                any = true;
            }
        }
        if (any) {
            out.key("required").raw(names.endArray().take());
        }
    }

    std::vector<Entry> entries_;
};

template <> struct Codec<bool> {
    static std::string schema() { return R"({"type":"boolean"})"; }
    static void read(JsonReader &in, bool &out) { out = in.boolean(); }
    static void write(JsonWriter &out, bool in) { out.boolean(in); }
};

template <> struct Codec<std::string> {
    static std::string schema() { return R"({"type":"string"})"; }
    static void read(JsonReader &in, std::string &out) { out = in.string(); }
    static void write(JsonWriter &out, const std::string &in) { out.string(in); }
};

template <> struct Codec<Json> {
    static std::string schema() { return "{}"; }
    static void read(JsonReader &in, Json &out) { out.text = in.raw(); }
    static void write(JsonWriter &out, const Json &in) { out.raw(in.text); }
};

template <std::integral T> struct Codec<T> {
    // What fits; range() says less.
    static std::string schema() {
        using Limits = std::numeric_limits<T>;
        return R"({"type":"integer","minimum":)" + std::to_string(Limits::min()) +
               R"(,"maximum":)" + std::to_string(Limits::max()) + "}";
    }
    static void read(JsonReader &in, T &out) { out = in.integer<T>(); }
    static void write(JsonWriter &out, T in) {
        if constexpr (std::is_unsigned_v<T>) {
            out.unsignedInteger(in);
        } else {
            out.integer(in);
        }
    }
};

template <std::floating_point T> struct Codec<T> {
    static std::string schema() { return R"({"type":"number"})"; }
    static void read(JsonReader &in, T &out) {
        out = static_cast<T>(in.number());
        if (!std::isfinite(out)) {
            throw JsonError("the value is not a number within the range of a float");
        }
    }
    static void write(JsonWriter &out, T in) { out.number(static_cast<double>(in)); }
};

template <class T> struct Codec<std::optional<T>> {
    static std::string schema() {
        return R"({"anyOf":[)" + Codec<T>::schema() + R"(,{"type":"null"}]})";
    }
    static void read(JsonReader &in, std::optional<T> &out) {
        if (in.null()) {
            out.reset();
        } else {
            Codec<T>::read(in, out.emplace());
        }
    }
    // An empty one is null where it stands alone; as a field it is left out.
    static void write(JsonWriter &out, const std::optional<T> &in) {
        if (in) {
            Codec<T>::write(out, *in);
        } else {
            out.null();
        }
    }
};

template <class T> struct Codec<std::vector<T>> {
    static std::string schema() { return R"({"type":"array","items":)" + Codec<T>::schema() + "}"; }
    static void read(JsonReader &in, std::vector<T> &out) {
        out.clear();
        in.array([&](JsonReader &item) {
            T value{};
            Codec<T>::read(item, value);
            out.push_back(std::move(value));
        });
    }
    static void write(JsonWriter &out, const std::vector<T> &in) {
        out.beginArray();
        for (const auto &value : in) {
            Codec<T>::write(out, value);
        }
        out.endArray();
    }
};

template <class T> struct Codec<std::map<std::string, T>> {
    static std::string schema() {
        return R"({"type":"object","additionalProperties":)" + Codec<T>::schema() + "}";
    }
    static void read(JsonReader &in, std::map<std::string, T> &out) {
        out.clear();
        in.object([&](std::string_view key, JsonReader &value) {
            Codec<T>::read(value, out[std::string(key)]);
        });
    }
    static void write(JsonWriter &out, const std::map<std::string, T> &in) {
        out.beginObject();
        for (const auto &[key, value] : in) {
            out.key(key);
            Codec<T>::write(out, value);
        }
        out.endObject();
    }
};

template <Described T> struct Codec<T> {
    static std::string schema() { return Fields<T>::of().schema(); }
    static void read(JsonReader &in, T &out) { Fields<T>::of().read(in, out); }
    static void write(JsonWriter &out, const T &in) { Fields<T>::of().write(out, in); }
};

} // namespace tenon

// Names up to eight fields of a struct, at its namespace, without words for them. A struct of more
// has a describe() of its own, as above.
#define TENON_FIELDS(TYPE, ...)                                                                    \
    [[maybe_unused]] inline void describe(::tenon::Fields<TYPE> &tenonFields) {                    \
        using TenonType = TYPE;                                                                    \
        TENON_EACH(__VA_ARGS__)                                                                    \
    }
#define TENON_EACH_FIELD(NAME) tenonFields.field(#NAME, &TenonType::NAME);
#define TENON_EACH(...)                                                                            \
    TENON_EACH_PICK(__VA_ARGS__, TENON_EACH_8, TENON_EACH_7, TENON_EACH_6, TENON_EACH_5,           \
                    TENON_EACH_4, TENON_EACH_3, TENON_EACH_2, TENON_EACH_1, )                      \
    (__VA_ARGS__)
#define TENON_EACH_PICK(A, B, C, D, E, F, G, H, NAME, ...) NAME
#define TENON_EACH_1(A) TENON_EACH_FIELD(A)
#define TENON_EACH_2(A, ...) TENON_EACH_FIELD(A) TENON_EACH_1(__VA_ARGS__)
#define TENON_EACH_3(A, ...) TENON_EACH_FIELD(A) TENON_EACH_2(__VA_ARGS__)
#define TENON_EACH_4(A, ...) TENON_EACH_FIELD(A) TENON_EACH_3(__VA_ARGS__)
#define TENON_EACH_5(A, ...) TENON_EACH_FIELD(A) TENON_EACH_4(__VA_ARGS__)
#define TENON_EACH_6(A, ...) TENON_EACH_FIELD(A) TENON_EACH_5(__VA_ARGS__)
#define TENON_EACH_7(A, ...) TENON_EACH_FIELD(A) TENON_EACH_6(__VA_ARGS__)
#define TENON_EACH_8(A, ...) TENON_EACH_FIELD(A) TENON_EACH_7(__VA_ARGS__)
