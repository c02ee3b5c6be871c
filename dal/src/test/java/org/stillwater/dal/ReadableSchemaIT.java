package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Migrations expand the schema: the newest one has all tables, views and columns that readers and
 * writers of a supported version use. A migration that takes one away names the version that may no
 * longer read (ADR 94).
 */
class ReadableSchemaIT {

    /** Migrations after this version expand only. Raise it with the oldest supported version. */
    private static final String OLDEST_READABLE = "44";

    /** Schemas of supported versions: {@code released-VERSION.txt}, never changed. */
    private static final Path RELEASED = Path.of("src", "test", "resources", "schema");

    /**
     * A migration that takes something away.
     *
     * @param reason why
     * @param unreadableBefore release whose readers are the oldest that still work
     */
    private record Contraction(String reason, String unreadableBefore) {}

    /** Contractions by the name of their script. */
    private static final Map<String, Contraction> ALLOWED = Map.of();

    private static List<MigrationInfo> migrations() {
        try (TestDatabase empty = TestDatabase.empty()) {
            return Arrays.stream(
                            Flyway.configure(ReadableSchemaIT.class.getClassLoader())
                                    .dataSource(empty.jdbcUrl(), empty.user(), empty.password())
                                    .locations("classpath:db/migration")
                                    .table("schema_history")
                                    .load()
                                    .info()
                                    .all())
                    .toList();
        }
    }

    /** Losses of programs of the version before, by script; scripts that only add are left out. */
    private static Map<String, List<String>> contractions() throws Exception {
        Map<String, List<String>> found = new TreeMap<>();
        try (TestDatabase database = TestDatabase.empty()) {
            SchemaVersions.make(database.settings(), "public", OLDEST_READABLE);
            SchemaContract before = SchemaContract.of(database);
            for (MigrationInfo each : migrations()) {
                String version = each.getVersion().getVersion();
                if (SchemaVersions.isNewer(version, OLDEST_READABLE)) {
                    SchemaVersions.make(database.settings(), "public", version);
                    SchemaContract after = SchemaContract.of(database);
                    List<String> missed = before.missesIn(after);
                    if (!missed.isEmpty()) {
                        found.put(each.getScript(), missed);
                    }
                    before = after;
                }
            }
        }
        return found;
    }

    @Test
    void migrationsExpandOnlyOrNameTheirReason() throws Exception {
        Map<String, List<String>> found = contractions();
        found.forEach((script, missed) ->
                assertThat(ALLOWED)
                        .as(
                                "%s takes away what released versions use: %s. Add beside it, and"
                                        + " remove a release later (docs/adr/0094), or name the"
                                        + " script in ALLOWED",
                                script, missed)
                        .containsKey(script));
        assertThat(found.keySet()).as("no stale exception").containsAll(ALLOWED.keySet());
        assertThat(ALLOWED.values())
                .allSatisfy(each -> {
                    assertThat(each.reason()).isNotBlank();
                    assertThat(each.unreadableBefore()).isNotBlank();
                });
    }

    static Stream<Path> releasedSchemas() throws Exception {
        Path oldest = RELEASED.resolve("released-" + OLDEST_READABLE + ".txt");
        if ("write".equals(System.getProperty("stillwater.docs")) && !Files.exists(oldest)) {
            try (TestDatabase newest = TestDatabase.migrated()) {
                List<String> lines = new ArrayList<>();
                lines.add("# Tables and views of schema " + OLDEST_READABLE + "; never changed");
                lines.addAll(SchemaContract.of(newest).lines());
                Files.createDirectories(RELEASED);
                Files.write(oldest, lines);
            }
        }
        assertThat(oldest).as("run with -Dstillwater.docs=write").isRegularFile();
        try (Stream<Path> files = Files.list(RELEASED)) {
            return files
                    .filter(each -> each.getFileName().toString().startsWith("released-"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("releasedSchemas")
    void programsOfAReleasedVersionReadTheNewestSchema(Path released) throws Exception {
        SchemaContract old = SchemaContract.parse(Files.readAllLines(released));
        assertThat(old.queries()).hasSizeGreaterThan(50);
        try (TestDatabase database = TestDatabase.migrated()) {
            List<String> missed = new ArrayList<>(old.missesIn(SchemaContract.of(database)));
            contractions().values().forEach(missed::removeAll);
            assertThat(missed).isEmpty();
            if (ALLOWED.isEmpty()) {
                try (Connection connection = database.connect();
                        Statement statement = connection.createStatement()) {
                    for (String query : old.queries()) {
                        assertThat(statement.execute(query)).as(query).isTrue();
                    }
                }
            }
        }
    }

    /** Else the tests above would pass over everything. */
    @Test
    void aContractionIsFound() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            SchemaContract before = SchemaContract.of(database);
            database.execute(
                    "ALTER TABLE tag RENAME COLUMN description TO remark",
                    "ALTER TABLE tag ADD COLUMN colour text NOT NULL",
                    "ALTER TABLE benchmark_run ALTER COLUMN subject TYPE varchar(60)",
                    "DROP VIEW vms_monitoring_view");
            assertThat(before.missesIn(SchemaContract.of(database)))
                    .contains(
                            "tag.description is gone",
                            "tag.colour is new, and rows must name it",
                            "benchmark_run.subject has type character varying(60), had text",
                            "vms_monitoring_view is gone");
        }
    }
}
