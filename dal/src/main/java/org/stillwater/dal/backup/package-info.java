/**
 * Backups: the file, its encryption, how a database is written into it and how it is restored. It
 * knows tables and columns from the database's own catalogue and no store; nothing of the engine
 * uses it while it runs.
 */
@NullMarked
package org.stillwater.dal.backup;

import org.jspecify.annotations.NullMarked;
