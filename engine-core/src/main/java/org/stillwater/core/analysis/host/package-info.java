/**
 * Decisions about hosts (monitoring specification §3, §5): pure functions from known state and
 * event to next state and actions.
 */
@NullMarked
package org.stillwater.core.analysis.host;

import org.jspecify.annotations.NullMarked;
