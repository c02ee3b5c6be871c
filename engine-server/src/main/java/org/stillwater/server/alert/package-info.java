/**
 * Delivers findings to receivers outside the engine. What a finding is, is decided elsewhere;
 * nothing here delays the search or a cycle.
 */
@NullMarked
package org.stillwater.server.alert;

import org.jspecify.annotations.NullMarked;
