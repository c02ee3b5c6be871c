/**
 * The engine's profile of itself: flight-recorder events folded into stages, statements, memory and
 * waits of the last hour. The folding is pure and has no thread; {@link
 * org.stillwater.server.profile.EngineProfile} feeds it from the event stream. No HTTP lives here.
 */
@NullMarked
package org.stillwater.server.profile;

import org.jspecify.annotations.NullMarked;
