/* SPDX-License-Identifier: Apache-2.0
 * The frozen layout of ABI 1.0, on every 64-bit target. A line here is never changed and never
 * taken away: fields are appended to tables, and new lines to this one. */
#include <tenon/abi.h>

#include <stddef.h>

#if defined(__cplusplus)
#define CHECK(CONDITION, TEXT) static_assert(CONDITION, TEXT)
#else
#define CHECK(CONDITION, TEXT) _Static_assert(CONDITION, TEXT)
#endif
/* A table may have grown since: it has at least the size that it was frozen with. */
#define SIZE(TYPE, BYTES) CHECK(sizeof(TYPE) >= (BYTES), "sizeof " #TYPE)
#define FIELD(TYPE, NAME, OFFSET) CHECK(offsetof(TYPE, NAME) == (OFFSET), #TYPE "." #NAME)

SIZE(tenon_text, 16);
FIELD(tenon_text, data, 0);
FIELD(tenon_text, size, 8);
SIZE(tenon_bytes, 16);
FIELD(tenon_bytes, data, 0);
FIELD(tenon_bytes, size, 8);
SIZE(tenon_info, 256);
FIELD(tenon_info, magic, 0);
FIELD(tenon_info, struct_size, 8);
FIELD(tenon_info, abi_major, 12);
FIELD(tenon_info, abi_minor, 16);
FIELD(tenon_info, reserved, 20);
FIELD(tenon_info, target, 24);
FIELD(tenon_info, id, 64);
FIELD(tenon_info, version, 192);
SIZE(tenon_content, 168);
FIELD(tenon_content, struct_size, 0);
FIELD(tenon_content, type, 4);
FIELD(tenon_content, text, 8);
FIELD(tenon_content, data, 24);
FIELD(tenon_content, mime_type, 40);
FIELD(tenon_content, uri, 56);
FIELD(tenon_content, name, 72);
FIELD(tenon_content, title, 88);
FIELD(tenon_content, description, 104);
FIELD(tenon_content, annotations, 120);
FIELD(tenon_content, meta, 136);
FIELD(tenon_content, role, 152);
SIZE(tenon_failure, 80);
FIELD(tenon_failure, struct_size, 0);
FIELD(tenon_failure, status, 4);
FIELD(tenon_failure, retryable, 8);
FIELD(tenon_failure, reserved, 12);
FIELD(tenon_failure, code, 16);
FIELD(tenon_failure, message, 32);
FIELD(tenon_failure, details, 48);
FIELD(tenon_failure, hint, 64);
SIZE(tenon_sink, 32);
FIELD(tenon_sink, struct_size, 0);
FIELD(tenon_sink, reserved, 4);
FIELD(tenon_sink, context, 8);
FIELD(tenon_sink, write, 16);
FIELD(tenon_sink, fail, 24);
SIZE(tenon_host, 104);
FIELD(tenon_host, struct_size, 0);
FIELD(tenon_host, abi_major, 4);
FIELD(tenon_host, abi_minor_min, 8);
FIELD(tenon_host, abi_minor_max, 12);
FIELD(tenon_host, name, 16);
FIELD(tenon_host, version, 32);
FIELD(tenon_host, context, 48);
FIELD(tenon_host, result, 56);
FIELD(tenon_host, content, 64);
FIELD(tenon_host, fail, 72);
FIELD(tenon_host, raise, 80);
FIELD(tenon_host, complete, 88);
FIELD(tenon_host, get_extension, 96);
SIZE(tenon_invocation, 48);
FIELD(tenon_invocation, struct_size, 0);
FIELD(tenon_invocation, kind, 4);
FIELD(tenon_invocation, call, 8);
FIELD(tenon_invocation, name, 16);
FIELD(tenon_invocation, input, 32);
SIZE(tenon_create, 32);
FIELD(tenon_create, struct_size, 0);
FIELD(tenon_create, reserved, 4);
FIELD(tenon_create, config, 8);
FIELD(tenon_create, out, 24);
SIZE(tenon_plugin, 112);
FIELD(tenon_plugin, struct_size, 0);
FIELD(tenon_plugin, abi_major, 4);
FIELD(tenon_plugin, abi_minor, 8);
FIELD(tenon_plugin, reserved, 12);
FIELD(tenon_plugin, id, 16);
FIELD(tenon_plugin, version, 32);
FIELD(tenon_plugin, config_schema, 48);
FIELD(tenon_plugin, create, 56);
FIELD(tenon_plugin, catalog, 64);
FIELD(tenon_plugin, invoke, 72);
FIELD(tenon_plugin, cancel, 80);
FIELD(tenon_plugin, stop, 88);
FIELD(tenon_plugin, destroy, 96);
FIELD(tenon_plugin, get_extension, 104);
SIZE(tenon_log_v1, 16);
FIELD(tenon_log_v1, struct_size, 0);
FIELD(tenon_log_v1, reserved, 4);
FIELD(tenon_log_v1, write, 8);
SIZE(tenon_progress_v1, 16);
FIELD(tenon_progress_v1, struct_size, 0);
FIELD(tenon_progress_v1, reserved, 4);
FIELD(tenon_progress_v1, report, 8);
SIZE(tenon_cancellation_v1, 24);
FIELD(tenon_cancellation_v1, struct_size, 0);
FIELD(tenon_cancellation_v1, reserved, 4);
FIELD(tenon_cancellation_v1, requested, 8);
FIELD(tenon_cancellation_v1, remaining_ms, 16);
SIZE(tenon_caller, 72);
FIELD(tenon_caller, struct_size, 0);
FIELD(tenon_caller, reserved, 4);
FIELD(tenon_caller, source, 8);
FIELD(tenon_caller, user_id, 24);
FIELD(tenon_caller, client_name, 40);
FIELD(tenon_caller, traceparent, 56);
SIZE(tenon_caller_v1, 16);
FIELD(tenon_caller_v1, struct_size, 0);
FIELD(tenon_caller_v1, reserved, 4);
FIELD(tenon_caller_v1, get, 8);
SIZE(tenon_secrets_v1, 16);
FIELD(tenon_secrets_v1, struct_size, 0);
FIELD(tenon_secrets_v1, reserved, 4);
FIELD(tenon_secrets_v1, get, 8);
SIZE(tenon_authorize_v1, 16);
FIELD(tenon_authorize_v1, struct_size, 0);
FIELD(tenon_authorize_v1, reserved, 4);
FIELD(tenon_authorize_v1, ask, 8);
SIZE(tenon_input_v1, 40);
FIELD(tenon_input_v1, struct_size, 0);
FIELD(tenon_input_v1, reserved, 4);
FIELD(tenon_input_v1, response, 8);
FIELD(tenon_input_v1, request, 16);
FIELD(tenon_input_v1, set_state, 24);
FIELD(tenon_input_v1, state, 32);
SIZE(tenon_artifacts_v1, 32);
FIELD(tenon_artifacts_v1, struct_size, 0);
FIELD(tenon_artifacts_v1, reserved, 4);
FIELD(tenon_artifacts_v1, write, 8);
FIELD(tenon_artifacts_v1, read, 16);
FIELD(tenon_artifacts_v1, search, 24);
SIZE(tenon_notify_v1, 16);
FIELD(tenon_notify_v1, struct_size, 0);
FIELD(tenon_notify_v1, reserved, 4);
FIELD(tenon_notify_v1, send, 8);

CHECK(TENON_SIZE_INFO_V1_0 == 256u, "frozen");
CHECK(TENON_SIZE_CONTENT_V1_0 == 168u, "frozen");
CHECK(TENON_SIZE_FAILURE_V1_0 == 80u, "frozen");
CHECK(TENON_SIZE_SINK_V1_0 == 32u, "frozen");
CHECK(TENON_SIZE_HOST_V1_0 == 104u, "frozen");
CHECK(TENON_SIZE_INVOCATION_V1_0 == 48u, "frozen");
CHECK(TENON_SIZE_CREATE_V1_0 == 32u, "frozen");
CHECK(TENON_SIZE_PLUGIN_V1_0 == 112u, "frozen");
CHECK(TENON_SIZE_CALLER_V1_0 == 72u, "frozen");
