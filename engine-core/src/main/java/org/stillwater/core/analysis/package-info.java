/**
 * Pure functions from known state and report to next state and decisions. Nothing here acts on the
 * world.
 */
@NullMarked
package org.stillwater.core.analysis;

import org.jspecify.annotations.NullMarked;
