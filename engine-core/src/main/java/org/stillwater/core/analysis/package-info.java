/**
 * Pure functions from known state and report to next state and decisions. They have no side
 * effects.
 */
@NullMarked
package org.stillwater.core.analysis;

import org.jspecify.annotations.NullMarked;
