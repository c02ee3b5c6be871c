/**
 * Explanations of values and beliefs over REST: their report, their age, their rule. It asks
 * monitoring and decides nothing.
 */
@NullMarked
package org.stillwater.server.api.explain;

import org.jspecify.annotations.NullMarked;
