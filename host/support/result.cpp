// SPDX-License-Identifier: Apache-2.0
#include "support/result.h"

#include <stdexcept>

namespace tenon {

void throw_exception_from_error(const Error &error, const boost::source_location &where) {
    throw std::logic_error(std::string("value() of a failed Result at ") + where.file_name() + ":" +
                           std::to_string(where.line()) + ": " + error.message);
}

} // namespace tenon
