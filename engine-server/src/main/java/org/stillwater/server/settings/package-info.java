/**
 * Every setting of the engine, one validated record per subject, with its default and its bounds.
 * No behaviour lives here; the wiring translates these records into the modules' settings.
 */
@NullMarked
package org.stillwater.server.settings;

import org.jspecify.annotations.NullMarked;
