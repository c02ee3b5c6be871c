/**
 * Texts that hosts and guests send: how long they may be and which characters they may hold. No
 * other text belongs here, and no knowledge of what a text means.
 */
@NullMarked
package org.stillwater.core.text;

import org.jspecify.annotations.NullMarked;
