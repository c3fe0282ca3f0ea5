/* SPDX-License-Identifier: Apache-2.0
 *
 * Tenon plugin ABI, version 1.0. This header is the specification.
 *
 * A plugin is a shared library that exports exactly one function, tenon_plugin_v1 (below), and
 * carries one info record (TENON_INFO). Everything that crosses the boundary is C: fixed-width
 * integers, {pointer, size} views and function pointers. No exception may leave a function of
 * either side, and neither side ever frees memory of the other.
 *
 * How to read an entry:
 *   [main]      called on one thread at a time, never overlapping anything of that instance
 *   [any]       may be called from any thread, at any time while its argument is valid
 *   [call]      called on a thread that the host chose for this call
 *   Required    the pointer may not be NULL; a table without it is refused
 *   Borrowed    valid only until the function returns, unless a longer time is given
 *
 * How it grows (rules that both sides keep):
 *   - The major version is in the name of the entry symbol. A host never loads another major.
 *   - Every table begins with its struct_size, set by the side that owns the table. The reader
 *     uses a field only if it lies inside struct_size. Fields are appended, never moved, never
 *     reused; the sizes of version 1.0 (TENON_SIZE_*_V1_0) are frozen and are the minimum.
 *   - Fields are naturally aligned and no table holds padding. Tables are passed by pointer and
 *     never embedded by value; an array is passed as {pointer, count, stride}.
 *   - Optional abilities are found by name with get_extension. An extension's table never changes
 *     once its id carries a number; a new form gets a new number.
 *
 * Strings are UTF-8 without a terminating NUL. An empty view may have a NULL pointer.
 */
#ifndef TENON_ABI_H
#define TENON_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_ABI_MAJOR 1u
#define TENON_ABI_MINOR 0u

/* ---- values ------------------------------------------------------------------------------- */

/* UTF-8 text. In the text of a content block, a failure or a message, bytes that are not UTF-8 are
 * shown as U+FFFD; in JSON they make the host refuse that output. */
typedef struct tenon_text {
    const char *data;
    uint64_t size; /* bytes */
} tenon_text;

/* Raw bytes. data != NULL with size 0 is a value of no bytes; data == NULL is "absent". */
typedef struct tenon_bytes {
    const uint8_t *data;
    uint64_t size; /* bytes */
} tenon_bytes;

/* What a function of either side answers. Numbers not listed are read as TENON_ERROR. */
typedef uint32_t tenon_status;
#define TENON_OK 0u          /* done */
#define TENON_ERROR 1u       /* failed; the reason was given where the function says */
#define TENON_INVALID 2u     /* an argument is not what this header asks for; nothing happened */
#define TENON_STALE 3u       /* the call is over or was never begun; nothing happened */
#define TENON_UNSUPPORTED 4u /* this side does not do that */
#define TENON_LIMIT 5u       /* a ceiling would be passed; nothing happened */
#define TENON_DENIED 6u      /* policy says no */
#define TENON_SUSPENDED 7u   /* an answer is needed first: return without any side effect */
#define TENON_NOT_FOUND 8u   /* there is nothing of that name */

/* A call in flight. Generational: a handle is never reused, so that a late or second completion
 * is answered with TENON_STALE and does nothing. 0 is no call. */
typedef uint64_t tenon_call;

/* A plugin's own object; the host never looks inside. */
typedef struct tenon_instance tenon_instance;

/* ---- the info record ---------------------------------------------------------------------- */

/* Read from the bytes of the file before the library is loaded, so that a plugin of another
 * architecture or major version is refused without running its code. Exactly one stands in the
 * section ".tenon.info" (ELF) or "__DATA,__tenon" (Mach-O). Text fields end in at least one NUL. */
typedef struct tenon_info {
    char magic[8];        /* "TENONPLG", no NUL */
    uint32_t struct_size; /* 256 */
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t reserved; /* 0 */
    char target[40];   /* TENON_TARGET of the build */
    char id[128];      /* the plugin's id, as in its table */
    char version[64];  /* the plugin's version, as in its table */
} tenon_info;

#if defined(__x86_64__)
#define TENON_TARGET_CPU "x86_64"
#elif defined(__aarch64__)
#define TENON_TARGET_CPU "aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define TENON_TARGET_CPU "riscv64"
#else
#error "Tenon plugins are built for 64-bit x86_64, aarch64 or riscv64"
#endif
#if defined(__linux__)
#define TENON_TARGET TENON_TARGET_CPU "-linux"
#define TENON_INFO_SECTION ".tenon.info"
#elif defined(__APPLE__)
#define TENON_TARGET TENON_TARGET_CPU "-macos"
#define TENON_INFO_SECTION "__DATA,__tenon"
#else
#error "Tenon plugins are built for Linux or macOS"
#endif

/* Keeps the record through --gc-sections, where the compiler can say so. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define TENON_KEEP used, retain
#endif
#endif
#ifndef TENON_KEEP
#define TENON_KEEP used
#endif

/* Defines the info record; once per plugin, at file scope. ID and VERSION are string literals. */
#define TENON_INFO_AS(MAJOR, MINOR, TARGET, ID, VERSION)                                           \
    extern const tenon_info tenon_info_record;                                                     \
    __attribute__((TENON_KEEP, section(TENON_INFO_SECTION))) const tenon_info tenon_info_record = {\
        {'T', 'E', 'N', 'O', 'N', 'P', 'L', 'G'}, 256u, (MAJOR), (MINOR), 0u, TARGET, ID, VERSION}
#define TENON_INFO(ID, VERSION)                                                                    \
    TENON_INFO_AS(TENON_ABI_MAJOR, TENON_ABI_MINOR, TENON_TARGET, ID, VERSION)

/* ---- what a handler gives ----------------------------------------------------------------- */

#define TENON_CONTENT_TEXT 1u     /* text */
#define TENON_CONTENT_IMAGE 2u    /* data, mime_type */
#define TENON_CONTENT_AUDIO 3u    /* data, mime_type */
#define TENON_CONTENT_RESOURCE 4u /* uri, mime_type?, and text, or data for a binary resource */
#define TENON_CONTENT_LINK 5u     /* uri, name, title?, description?, mime_type? */

/* One content block. Bytes are raw: the frontend that needs base64 makes it. In a prompt each block
 * is a message of its own. */
typedef struct tenon_content {
    uint32_t struct_size;
    uint32_t type; /* TENON_CONTENT_* */
    tenon_text text;
    tenon_bytes data;
    tenon_text mime_type;
    tenon_text uri;
    tenon_text name;
    tenon_text title;
    tenon_text description;
    tenon_text annotations; /* a JSON object {audience, priority, lastModified}, or empty */
    tenon_text meta;        /* a JSON object, or empty */
    tenon_text role;        /* of a prompt's message: "user" or "assistant"; else empty */
} tenon_content;

#define TENON_RETRY_UNSTATED 0u /* the host's table decides from the status */
#define TENON_RETRY_YES 1u
#define TENON_RETRY_NO 2u

/* A refusal that a caller is meant to read and act on: everything in it reaches the caller. */
typedef struct tenon_failure {
    uint32_t struct_size;
    uint32_t status;    /* an HTTP status, or 0: the host's for a known code, 500 for others */
    uint32_t retryable; /* TENON_RETRY_* */
    uint32_t reserved;  /* 0 */
    tenon_text code;    /* ^[A-Z][A-Z0-9_]{2,63}$ */
    tenon_text message; /* one sentence: what was seen, what was expected */
    tenon_text details; /* a JSON object, or empty */
    tenon_text hint;    /* what to do next, or empty */
} tenon_failure;

/* Where the plugin pushes text at load: the host copies before the function returns. [main] */
typedef struct tenon_sink {
    uint32_t struct_size;
    uint32_t reserved;
    void *context; /* first argument of the functions below */
    /* Appends to what is written. TENON_LIMIT above the host's ceiling. Required. */
    tenon_status (*write)(void *context, tenon_text part);
    /* States why the function is about to return TENON_ERROR, for the operator. Required. */
    tenon_status (*fail)(void *context, tenon_text reason);
} tenon_sink;

/* ---- the host's table --------------------------------------------------------------------- */

/* Given to tenon_plugin_v1 and valid, from every thread, until destroy returns (or create, when it
 * fails). A host gives each instance a table of its own.
 *
 * The five output functions name a call. They answer TENON_OK, TENON_STALE when the call is over
 * (cancelled past its grace, timed out, completed), TENON_INVALID for a value that breaks this
 * header (its call then ends as an internal error, and the log says what was wrong), TENON_LIMIT
 * above the result ceiling (its call then ends as too large, unless it was result() and a smaller
 * result follows). The host copies everything before it returns. [any] */
typedef struct tenon_host {
    uint32_t struct_size;
    uint32_t abi_major;     /* 1 */
    uint32_t abi_minor_min; /* the oldest minor this host serves */
    uint32_t abi_minor_max; /* the newest */
    tenon_text name;        /* for messages, e.g. "tenon" */
    tenon_text version;
    void *context; /* first argument of every function below and of every extension's */

    /* Sets the result: one JSON value. A second call replaces the first. Required. */
    tenon_status (*result)(void *context, tenon_call call, tenon_text json);
    /* Appends a content block. Required. */
    tenon_status (*content)(void *context, tenon_call call, const tenon_content *block);
    /* The call is refused; result and content are dropped. Required. */
    tenon_status (*fail)(void *context, tenon_call call, const tenon_failure *failure);
    /* The handler failed in a way it did not foresee (an exception, as a rule). type and message
     * reach the operator's log and hooks, never the caller. Required. */
    tenon_status (*raise)(void *context, tenon_call call, tenon_text type, tenon_text message);
    /* Ends a call whose invoke answered TENON_PENDING; it may come before that invoke returns.
     * Exactly once, also when the call was cancelled or its time was over: until then the host
     * keeps the call's name and input, whatever it told the caller. Required. */
    tenon_status (*complete)(void *context, tenon_call call);
    /* The table of a host ability, or NULL: "tenon.progress/1" and the others below. It is valid as
     * long as this one. Required. */
    const void *(*get_extension)(void *context, tenon_text id);
} tenon_host;

/* ---- the plugin's table ------------------------------------------------------------------- */

#define TENON_KIND_TOOL 1u       /* name is the tool's name, input its arguments (an object) */
#define TENON_KIND_RESOURCE 2u   /* name is a URI, input the variables of its template */
#define TENON_KIND_PROMPT 3u     /* name is the prompt's name, input its arguments */
#define TENON_KIND_COMPLETION 4u /* name is the prompt's or the template's, input is {ref, argument,
                                  * context?} as MCP's completion/complete has them */

/* One call. The record is borrowed until invoke returns; what name and input point at, until then
 * or until complete, if that is later. */
typedef struct tenon_invocation {
    uint32_t struct_size;
    uint32_t kind; /* TENON_KIND_* */
    tenon_call call;
    tenon_text name;
    tenon_text input; /* JSON, valid against the catalog's schema for that name */
} tenon_invocation;

typedef struct tenon_create {
    uint32_t struct_size;
    uint32_t reserved;
    tenon_text config;     /* a JSON object, valid against config_schema; "{}" when there is none */
    const tenon_sink *out; /* fail() states why create answers TENON_ERROR */
} tenon_create;

#define TENON_DONE 0u    /* the outcome was pushed before invoke returned */
#define TENON_PENDING 1u /* host->complete(call) follows, exactly once, from any thread */

/* Static data of the plugin, valid for the rest of the process: a plugin is never unloaded. */
typedef struct tenon_plugin {
    uint32_t struct_size;
    uint32_t abi_major; /* 1 */
    uint32_t abi_minor; /* the minor it speaks: its own, or the host's newest where that is older */
    uint32_t reserved;  /* 0 */
    tenon_text id;      /* equal to the info record's */
    tenon_text version;

    /* Writes the JSON Schema of the config that create takes. Required: no (any object is
     * then taken). [main], before create */
    tenon_status (*config_schema)(const tenon_sink *out);
    /* Makes an instance. On TENON_OK *out is not NULL; on anything else there is nothing to
     * destroy. Required. [main] */
    tenon_status (*create)(const tenon_host *host, const tenon_create *args, tenon_instance **out);
    /* Writes the catalog, one JSON object (see sdk/README.md). Asked after create and frozen; asked
     * again only after a TENON_NOTIFY_..._CHANGED, for a new generation. Required. [main] */
    tenon_status (*catalog)(tenon_instance *instance, const tenon_sink *out);
    /* Runs one call: TENON_DONE or TENON_PENDING. A call with nothing pushed is an empty
     * success. Concurrent with other invokes unless the catalog says "serial". The host holds no
     * lock across it. Required. [call] */
    uint32_t (*invoke)(tenon_instance *instance, const tenon_invocation *invocation);
    /* Asks that a call end soon; it still ends by completion. May come at any time from invoke's
     * beginning on, once the call is over too. Required: no (polling tenon.cancellation/1 is
     * enough). [any] */
    void (*cancel)(tenon_instance *instance, tenon_call call);
    /* No invoke follows. Joins every thread that the plugin started for this instance before it
     * returns. Required: no. [main] */
    void (*stop)(tenon_instance *instance);
    /* Frees the instance. Required. [main], after stop */
    void (*destroy)(tenon_instance *instance);
    /* A table of an ability of the plugin, or NULL. Required: no. [main] */
    const void *(*get_extension)(tenon_text id);
} tenon_plugin;

/* The entry, the only exported symbol. Reads the host's range and sets *out to its table, or
 * answers TENON_UNSUPPORTED when no minor fits, TENON_ERROR for any other reason. It must do
 * nothing else: no threads, no files. [main] */
#define TENON_ENTRY_SYMBOL "tenon_plugin_v1"
typedef tenon_status (*tenon_entry_v1)(const tenon_host *host, const tenon_plugin **out);

#if defined(__GNUC__)
#define TENON_EXPORT __attribute__((visibility("default")))
#else
#define TENON_EXPORT
#endif
TENON_EXPORT tenon_status tenon_plugin_v1(const tenon_host *host, const tenon_plugin **out);

/* ---- host extensions, version 1 of each --------------------------------------------------- */

/* Their first argument is tenon_host.context. call is a live call, or, where that is said, 0.
 * All are [any]. A host may lack any of them. */

#define TENON_EXT_LOG "tenon.log/1"
#define TENON_LOG_DEBUG 1u
#define TENON_LOG_INFO 2u
#define TENON_LOG_WARNING 3u
#define TENON_LOG_ERROR 4u
typedef struct tenon_log_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* Reaches the operator's log, and the caller of the call where it asked for logs: put no
     * secret in it. call may be 0. */
    tenon_status (*write)(void *context, tenon_call call, uint32_t level, tenon_text message);
} tenon_log_v1;

#define TENON_EXT_PROGRESS "tenon.progress/1"
typedef struct tenon_progress_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* done must grow from report to report (others are dropped); total 0 is unknown; message may
     * be empty. The host limits the rate by dropping. */
    tenon_status (*report)(void *context, tenon_call call, double done, double total,
                           tenon_text message);
} tenon_progress_v1;

#define TENON_EXT_CANCELLATION "tenon.cancellation/1"
typedef struct tenon_cancellation_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* 1 once the call was cancelled, timed out or is over; 0 before. Cheap. */
    uint32_t (*requested)(void *context, tenon_call call);
    /* Milliseconds until the deadline: 0 when it has passed, UINT64_MAX when there is none. */
    uint64_t (*remaining_ms)(void *context, tenon_call call);
} tenon_cancellation_v1;

#define TENON_EXT_CALLER "tenon.caller/1"
typedef struct tenon_caller {
    uint32_t struct_size; /* set by the plugin to its own sizeof: the host fills that much */
    uint32_t reserved;
    tenon_text source;      /* "mcp", "agent", "cli" or "internal" */
    tenon_text user_id;     /* the authenticated principal, or empty */
    tenon_text client_name; /* what the client calls itself: a claim, not proof */
    tenon_text traceparent; /* W3C trace context of this call's span, or empty */
} tenon_caller;
typedef struct tenon_caller_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* The views stay valid as long as the call's input. Only the fields that lie inside
     * out->struct_size are set. */
    tenon_status (*get)(void *context, tenon_call call, tenon_caller *out);
} tenon_caller_v1;

#define TENON_EXT_SECRETS "tenon.secrets/1"
typedef struct tenon_secrets_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* A secret that the manifest grants to this plugin; TENON_NOT_FOUND otherwise. call may be 0.
     * Valid until the instance is destroyed. */
    tenon_status (*get)(void *context, tenon_call call, tenon_text name, tenon_text *out);
} tenon_secrets_v1;

#define TENON_EXT_AUTHORIZE "tenon.authorize/1"
typedef struct tenon_authorize_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* Asks policy about {operation, path?, ...} before a side effect: TENON_OK, TENON_DENIED (the
     * refusal is already pushed: return), or TENON_SUSPENDED (somebody is asked: return; the call
     * is invoked again with the answer). */
    tenon_status (*ask)(void *context, tenon_call call, tenon_text payload);
} tenon_authorize_v1;

#define TENON_EXT_INPUT "tenon.input/1"
typedef struct tenon_input_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* The answer of an earlier round under that key, one JSON value, or TENON_NOT_FOUND. Valid
     * as long as the call's input. */
    tenon_status (*response)(void *context, tenon_call call, tenon_text key, tenon_text *out);
    /* Asks for input: method "elicitation/create", "sampling/createMessage" or "roots/list",
     * params a JSON object. The call then ends as "input required" and is invoked again, from the
     * start, with the answers. TENON_UNSUPPORTED when the caller cannot answer that method. */
    tenon_status (*request)(void *context, tenon_call call, tenon_text key, tenon_text method,
                            tenon_text params);
    /* Opaque state that the next round gets back. The host signs it. */
    tenon_status (*set_state)(void *context, tenon_call call, tenon_bytes state);
    /* The state of the round before, or TENON_NOT_FOUND. Valid as long as the call's
     * input. */
    tenon_status (*state)(void *context, tenon_call call, tenon_bytes *out);
} tenon_input_v1;

#define TENON_EXT_ARTIFACTS "tenon.artifacts/1"
typedef struct tenon_artifacts_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* Stores bytes for the caller; *uri stays valid as long as the call's input. */
    tenon_status (*write)(void *context, tenon_call call, tenon_text name, tenon_text mime_type,
                          tenon_bytes data, tenon_text *uri);
    /* Reads at most size bytes from offset; *total is the whole size. Bound to the caller:
     * another's artifact is TENON_NOT_FOUND. *out stays valid as long as the call's
     * input. */
    tenon_status (*read)(void *context, tenon_call call, tenon_text uri, uint64_t offset,
                         uint64_t size, tenon_bytes *out, uint64_t *total);
    /* Lines that hold the literal text, as JSON {"matches":[{"line","text"}],"truncated"}. */
    tenon_status (*search)(void *context, tenon_call call, tenon_text uri, tenon_text needle,
                           uint64_t matches_max, tenon_text *out);
} tenon_artifacts_v1;

#define TENON_EXT_NOTIFY "tenon.notify/1"
#define TENON_NOTIFY_RESOURCE_UPDATED 1u /* uri names the resource */
#define TENON_NOTIFY_RESOURCES_CHANGED 2u
#define TENON_NOTIFY_PROMPTS_CHANGED 3u
#define TENON_NOTIFY_TOOLS_CHANGED 4u
typedef struct tenon_notify_v1 {
    uint32_t struct_size;
    uint32_t reserved;
    /* Tells subscribed clients. Not bound to a call. */
    tenon_status (*send)(void *context, uint32_t what, tenon_text uri);
} tenon_notify_v1;

/* ---- frozen sizes of version 1.0 ---------------------------------------------------------- */

#define TENON_SIZE_INFO_V1_0 256u
#define TENON_SIZE_CONTENT_V1_0 168u
#define TENON_SIZE_FAILURE_V1_0 80u
#define TENON_SIZE_SINK_V1_0 32u
#define TENON_SIZE_HOST_V1_0 104u
#define TENON_SIZE_INVOCATION_V1_0 48u
#define TENON_SIZE_CREATE_V1_0 32u
#define TENON_SIZE_PLUGIN_V1_0 112u
#define TENON_SIZE_CALLER_V1_0 72u

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TENON_ABI_H */
