/**
 * What hosts say, decoded: VM reports, samples, host capabilities and statistics. Nothing here is
 * what the engine believes; that lives in {@code model}.
 */
@NullMarked
package org.stillwater.core.report;

import org.jspecify.annotations.NullMarked;
