/**
 * Alert rules on metrics and regressions: their language, their evaluation, and the same evaluation
 * over the past. Pure; what samples are and who is told lives elsewhere.
 */
@NullMarked
package org.stillwater.core.alert;

import org.jspecify.annotations.NullMarked;
