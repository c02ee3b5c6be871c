/**
 * Data of the running engine for a program of the same user that collects diagnostics: over a
 * management bean of its own process, without a port and without a login. Everything is text
 * without secrets.
 */
@NullMarked
package org.stillwater.server.diagnostics;

import org.jspecify.annotations.NullMarked;
