/**
 * The adapter to PostgreSQL: pool, migrations, counted statements, and one package-private store
 * for each port of the core. It makes no decision about hosts or VMs, and no port exposes SQL or
 * JDBC.
 */
@NullMarked
package org.stillwater.dal;

import org.jspecify.annotations.NullMarked;
