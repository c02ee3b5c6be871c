/**
 * The adapter to PostgreSQL: pool, migrations, counted statements, and one package-private store
 * per port of the core. No decision about hosts or VMs is taken here, and nothing of SQL or JDBC
 * leaves through a port.
 */
@NullMarked
package org.stillwater.dal;

import org.jspecify.annotations.NullMarked;
