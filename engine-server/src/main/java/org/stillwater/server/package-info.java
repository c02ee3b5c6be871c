/**
 * The Spring Boot application and the one clock of the engine. {@code wiring} connects the
 * components of the application; no rule of monitoring lives here.
 */
@NullMarked
package org.stillwater.server;

import org.jspecify.annotations.NullMarked;
