/**
 * The adapter to XAPI pools: encodings, sessions and fail-over, events, metrics, and decoding into
 * records of the needed fields. The engine's interpretation of records must not live here.
 */
@NullMarked
package org.stillwater.xapi.client;

import org.jspecify.annotations.NullMarked;
