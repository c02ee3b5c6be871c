/**
 * The Spring Boot application and the one clock of the engine. What the application consists of is
 * wired in {@code wiring}; no rule of monitoring lives here.
 */
@NullMarked
package org.stillwater.server;

import org.jspecify.annotations.NullMarked;
