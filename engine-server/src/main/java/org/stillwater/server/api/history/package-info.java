/** Facts of the past: statistics as tables, histories, the audit log, earlier configurations. */
@NullMarked
package org.stillwater.server.api.history;

import org.jspecify.annotations.NullMarked;
