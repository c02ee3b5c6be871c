/**
 * Texts from hosts and guests: their maximal length and allowed characters. Other texts, and the
 * meaning of texts, do not belong here.
 */
@NullMarked
package org.stillwater.core.text;

import org.jspecify.annotations.NullMarked;
