/** The engine about itself: its profile, its statements, its memory, and recordings of it. */
@NullMarked
package org.stillwater.server.api.engine;

import org.jspecify.annotations.NullMarked;
