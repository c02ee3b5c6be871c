/**
 * Decoded messages of hosts: VM reports, samples, host capabilities and statistics. The engine's
 * own state lives in {@code model}.
 */
@NullMarked
package org.stillwater.core.report;

import org.jspecify.annotations.NullMarked;
