/**
 * The embedded PostgreSQL: unpacks server binaries, initialises a data folder once, and starts,
 * adopts and stops its server. It knows neither the schema nor the engine's stores; its only result
 * is a JDBC URL.
 */
@NullMarked
package org.stillwater.dal.embedded;

import org.jspecify.annotations.NullMarked;
