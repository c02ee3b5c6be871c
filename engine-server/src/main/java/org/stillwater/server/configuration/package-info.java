/**
 * The settings as a whole: their table, what a file or the environment gives, and how both are
 * checked. Single settings live in {@code settings}; nothing here starts the engine.
 */
@NullMarked
package org.stillwater.server.configuration;

import org.jspecify.annotations.NullMarked;
