package org.stillwater.dal.backup;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of a backup: the beginning of its file. Immutable.
 *
 * @param madeAt when its snapshot was taken
 * @param engineVersion version of the program that made it
 * @param schemaVersion newest migration of the database, such as 32
 * @param serverVersion version of its PostgreSQL
 * @param history whether samples and their roll-ups are in it
 * @param tables in the order in which they can be filled
 */
public record BackupManifest(
        Instant madeAt,
        String engineVersion,
        String schemaVersion,
        String serverVersion,
        boolean history,
        List<Table> tables) {

    public BackupManifest {
        tables = List.copyOf(tables);
    }

    /**
     * A table that holds rows.
     *
     * @param name its name
     * @param columns its columns, without generated ones
     * @param parent the partitioned table that it is a part of, null if it is none
     * @param bound its range, as PostgreSQL writes it; null if it is no partition
     * @param options its storage parameters, as PostgreSQL writes them; empty for none
     */
    public record Table(
            String name,
            List<String> columns,
            @Nullable String parent,
            @Nullable String bound,
            String options) {

        public Table {
            columns = List.copyOf(columns);
        }
    }
}
