/**
 * What is decided about hosts (monitoring specification §3, §5): pure functions from what is known
 * and what happened to what is known next and what is to be done.
 */
@NullMarked
package org.stillwater.core.analysis.host;

import org.jspecify.annotations.NullMarked;
