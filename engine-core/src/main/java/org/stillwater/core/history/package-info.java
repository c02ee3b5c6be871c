/**
 * Recent samples of a few numbers in little memory. Sampling, queries and durable history live
 * elsewhere.
 */
@NullMarked
package org.stillwater.core.history;

import org.jspecify.annotations.NullMarked;
