/**
 * Recent samples of a few numbers in little memory. What is sampled, who asks for it and where it
 * goes when it is to last does not live here.
 */
@NullMarked
package org.stillwater.core.history;

import org.jspecify.annotations.NullMarked;
