/**
 * Backups: the file, its encryption, the writing of a database into it and its restoration. It
 * reads tables and columns from the database's own catalogue and uses no store; a running engine
 * does not use it.
 */
@NullMarked
package org.stillwater.dal.backup;

import org.jspecify.annotations.NullMarked;
