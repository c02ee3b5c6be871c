/**
 * Alert rules on metrics and regressions: their language, their evaluation, and the same evaluation
 * over the past. Pure; sampling and delivery live elsewhere.
 */
@NullMarked
package org.stillwater.core.alert;

import org.jspecify.annotations.NullMarked;
