/**
 * The embedded PostgreSQL: unpacks real server binaries, initialises a data folder once, starts,
 * adopts and stops the server that owns it. Nothing here knows the schema or the engine's stores;
 * it hands out a JDBC URL and that is all.
 */
@NullMarked
package org.stillwater.dal.embedded;

import org.jspecify.annotations.NullMarked;
