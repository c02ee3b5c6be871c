/**
 * The settings as a whole: their table, the values of files and the environment, and the checks of
 * both. Single settings live in {@code settings}; nothing here starts the engine.
 */
@NullMarked
package org.stillwater.server.configuration;

import org.jspecify.annotations.NullMarked;
