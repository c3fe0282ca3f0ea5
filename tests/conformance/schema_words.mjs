// SPDX-License-Identifier: Apache-2.0
// What the schema generator draws from: keys, numbers, patterns and formats with texts that fit.

export const keys = [
  "a", "b", "c", "foo", "bar", "ab", "x-1", "x-2", "1", "", "a/b", "c~d", "ü", "日本", "e\u0301",
  "👍", "%25", "a b", "A",
];
// Own keys that every JavaScript object also inherits.
export const inherited = ["toString", "constructor", "hasOwnProperty", "__proto__"];

export const numbers = [
  "0", "1", "2", "3", "5", "7", "10", "-1", "-2", "-10", "1.0", "2.0", "1e0", "1E1", "10e-1", "-0",
  "-0.0", "0.5", "1.5", "-1.5", "2.25", "0.1", "0.3", "0.01", "99.99", "100", "1000000", "1e2",
];
// Numbers that no double holds, or that only differ where doubles do not.
export const wildNumbers = [
  "9007199254740993", "9007199254740992", "-9007199254740993", "18446744073709551616", "1e400",
  "9223372036854775807", "9223372036854775808", "-1e400", "1e-400", "3e-400", "0.10000000000000001",
  "1.0000000000000000000001", "123456789012345678901234567890.5", "1e22", "2e22", "1e308",
];
export const bounds = [
  "0", "1", "2", "3", "5", "10", "-1", "-5", "0.5", "1.5", "2.0", "99.99", "1e1",
];
export const divisors = [
  "1", "2", "3", "5", "7", "0.5", "1.5", "0.1", "0.01", "0.3", "2.0", "1e1", "1e-2", "100",
];

// [pattern, texts in which it is found]; read alike with and without the flag u.
export const patterns = [
  ["^a", ["a", "ab", "abc", "a b"]],
  ["b$", ["b", "ab", "foob"]],
  ["^[a-z]+$", ["a", "foo", "bar"]],
  ["^x-", ["x-1", "x-2", "x-"]],
  ["^[A-Z][0-9]{2,4}$", ["A12", "B1234"]],
  ["\\d", ["1", "a1", "2024"]],
  ["^\\d+$", ["1", "42", "007"]],
  ["^\\w+$", ["a", "foo_1", "A"]],
  ["\\s", ["a b", " ", "\t", "\u00a0", "\u2003"]],
  ["^\\S*$", ["", "a", "ü"]],
  ["o{2}", ["foo", "oo"]],
  ["^(foo|bar)$", ["foo", "bar"]],
  ["(?:ab)+c?", ["ab", "abab", "ababc"]],
  ["^.$", ["a", "ü", "👍", " "]],
  ["^.{2,3}$", ["ab", "foo", "👍👍", "e\u0301"]],
  ["^$", [""]],
  ["", ["", "a"]],
  ["\\.", [".", "a.b"]],
  ["^[^aeiou]*$", ["", "xyz", "b"]],
  ["[\\u00fc\\u00e9]", ["ü", "aé"]],
  ["^\\u65e5", ["日本"]],
  ["\\p{L}", ["a", "ü", "日本"]],
  ["^\\p{Lu}", ["A", "Ü"]],
  ["^(?=.*\\d)(?=.*[a-z]).+$", ["a1", "1a"]],
  ["^(?!foo)", ["bar", "", "a"]],
  ["(?<=a)b", ["ab", "cab"]],
  ["^(.)\\1$", ["aa", "11"]],
  ["\\bfoo\\b", ["foo", "a foo b"]],
  ["a\\/b", ["a/b"]],
  ["^\\cJ$", ["\n"]],
  ["^a|b$", ["a", "ab", "b"]],
  ["a.c", ["abc", "a c"]],
];

// Per format, texts that are one and texts that are none by every reading of it.
export const formats = {
  date: [["2024-02-29", "1999-12-31"], ["2023-02-29", "2024-13-01", "2024-1-1", "x"]],
  time: [["12:00:00Z", "23:59:59.5+01:00", "23:59:60Z"], ["24:00:00Z", "12:00:00", "12:60:00Z"]],
  "date-time": [
    ["2024-02-29T12:00:00Z", "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00"],
    ["2024-02-30T12:00:00Z", "2024-02-29", "2024-02-29T12:00:00"],
  ],
  duration: [["P1Y2M3D", "PT1H", "P2W", "P1DT12H"], ["P", "PT", "1Y", "P1H", "P1W2D"]],
  email: [["a@example.com", "a.b+c@d.example"], ["a", "@example.com", "a@", "a b@example.com"]],
  hostname: [["example.com", "a-b.c", "localhost"], ["-a.com", "a..b", "a_b", "ex ample"]],
  ipv4: [["127.0.0.1", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"]],
  ipv6: [["::1", "fe80::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"], ["1::2::3", "12345::", ":"]],
  uri: [
    ["https://example.com/a?b#c", "urn:isbn:1", "mailto:a@b.example"],
    ["//example.com", "a b", "https://ex ample", "http://[::1"],
  ],
  "uri-reference": [["/a/b", "#c", "https://example.com", "../x"], ["a b", "\\\\x", "%zz"]],
  "uri-template": [["https://e.example/{id}", "{+path}/x", "a"], ["{", "{a", "a}"]],
  uuid: [
    ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
    ["2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", "x"],
  ],
  "json-pointer": [["", "/a/b", "/a~1b/~0", "/"], ["a", "/~2", "/~"]],
  "relative-json-pointer": [["0", "1/a", "2#", "0#"], ["01", "/a", "-1", "1a"]],
  regex: [["^a+$", "[a-z]", "(x|y)"], ["(", "[a", "*a"]],
  "no-such-format": [["", "anything"], []],
};

export const texts = [
  "", "a", "b", "ab", "abc", "foo", "bar", "foobar", "A12", "1", "42", "ü", "e\u0301", "👍", "👍👍",
  "日本", "a b", "x-1", "\n", "\u0000", "a/b", "~", '"', "\\", "null", "true", "1.0", "\u2028",
];
