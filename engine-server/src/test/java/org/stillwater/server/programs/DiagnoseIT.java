package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.stillwater.dal.TestDatabase;
import org.stillwater.server.StillwaterApplication;
import org.stillwater.server.configuration.GivenSettings;

/** The archive of a running engine: it has all helpful data, and no secret. */
@Timeout(600)
class DiagnoseIT {

    private static final List<String> SECRETS =
            List.of("initial-secret-1", "oidc-secret-1", "otlp-secret-1", "in-a-file-secret-1");

    @TempDir Path folder;

    @Test
    void anArchiveHelpsAndHoldsNoSecret() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            Path data = Files.createDirectory(folder.resolve("data"));
            Path config =
                    Files.writeString(
                            folder.resolve("stillwater.yaml"),
                            "stillwater.security.oidc.client-secret: oidc-secret-1\n"
                                    + "stillwater.cycle.interval: 14s\n");
            List<String> options = new ArrayList<>();
            options.add("--server.port=0");
            options.add("--stillwater.tls.enabled=false");
            options.add("--stillwater.data-folder=" + data);
            options.add("--stillwater.security.initial-password=initial-secret-1");
            options.add("--stillwater.otlp.headers.X-Key=otlp-secret-1");
            options.add("--spring.datasource.url=" + database.jdbcUrl());
            options.add("--spring.datasource.username=" + database.worker().user());
            options.add("--spring.datasource.password=" + database.worker().password());
            options.add("--stillwater.database.migration.username=" + database.owner().user());
            options.add("--stillwater.database.migration.password=" + database.owner().password());
            List<String> withFile = new ArrayList<>(options);
            withFile.add("--spring.config.additional-location=file:" + config);
            Path archive = folder.resolve("diagnosis.zip");
            ByteArrayOutputStream listed = new ByteArrayOutputStream();
            try (var _ =
                    new SpringApplicationBuilder(StillwaterApplication.class)
                            .registerShutdownHook(false)
                            .run(withFile.toArray(String[]::new))) {
                Files.writeString(data.resolve("first-password"), "in-a-file-secret-1\n");
                LoggerFactory.getLogger("org.stillwater.careless")
                        .warn("Somebody logs initial-secret-1 and oidc-secret-1");
                Path log =
                        Files.writeString(
                                folder.resolve("engine.log"),
                                "a line\nwith in-a-file-secret-1 and otlp-secret-1\n"
                                        + "jdbc:postgresql://h/d?user=x&password=only-here\n"
                                        + "amqp://user:only-there@host/\n");
                Diagnosis diagnosis =
                        new Diagnosis(
                                GivenSettings.read(options, config.toString()),
                                Instant.parse("2026-11-20T03:00:00Z"));
                diagnosis.addEngine(ManagementFactory.getPlatformMBeanServer(), "1", 2);
                diagnosis.addSurroundings();
                diagnosis.addDatabase();
                diagnosis.addFile("engine.log", log);
                diagnosis.list(new PrintStream(listed, true, StandardCharsets.UTF_8));
                diagnosis.write(archive);
            }

            Map<String, String> parts = unzipped(archive);
            assertThat(parts.keySet())
                    .containsExactlyInAnyOrder(
                            "about.txt",
                            "classes.txt",
                            "configuration.txt",
                            "database.txt",
                            "engine.log",
                            "engine.txt",
                            "health.json",
                            "heap.txt",
                            "log.txt",
                            "meters.txt",
                            "recording.jfr",
                            "settings.txt",
                            "threads.txt");
            assertThat(listed.toString(StandardCharsets.UTF_8)).contains(parts.keySet());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)))
                    .isEqualTo("rw-------");
            parts.forEach((name, text) -> {
                for (String secret : SECRETS) {
                    assertThat(text).as(name).doesNotContain(secret);
                }
                assertThat(text)
                        .as(name)
                        .doesNotContain(database.worker().password(), database.owner().password());
            });
            assertThat(parts.get("engine.log"))
                    .contains("a line", "password=******", "amqp://user:******@host/")
                    .doesNotContain("only-here", "only-there");
            assertThat(parts.get("log.txt")).contains("Somebody logs ****** and ******");
            assertThat(parts.get("settings.txt"))
                    .contains("stillwater.cycle.interval = 14s   # line 2 of " + config)
                    .contains("stillwater.security.initial-password = ******")
                    .contains("stillwater.otlp.headers.X-Key = ******");
            assertThat(parts.get("health.json")).contains("\"readinessState\"", "\"writer\"");
            assertThat(parts.get("meters.txt")).contains("stillwater.hosts ", "jvm.memory.used ");
            assertThat(parts.get("threads.txt")).contains("\"main\"");
            assertThat(parts.get("database.txt")).contains("schema ", "vm_static", "KiB");
            assertThat(parts.get("recording.jfr")).startsWith("FLR");
        }
    }

    private static Map<String, String> unzipped(Path archive) throws Exception {
        Map<String, String> parts = new TreeMap<>();
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (ZipEntry each : zip.stream().toList()) {
                parts.put(
                        each.getName().substring("stillwater-diagnosis/".length()),
                        new String(
                                zip.getInputStream(each).readAllBytes(),
                                StandardCharsets.ISO_8859_1));
            }
        }
        return parts;
    }

    @Test
    void withoutAnEngineTheRestIsCollected() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Diagnosis diagnosis =
                new Diagnosis(
                        GivenSettings.read(
                                List.of(
                                        "--stillwater.data-folder=" + folder,
                                        "--spring.datasource.password=oidc-secret-1"),
                                null),
                        Instant.parse("2026-11-20T03:00:00Z"));
        diagnosis.missing("engine", "no engine of this user runs on this machine");
        diagnosis.addOwnSettings();
        diagnosis.addSurroundings();
        diagnosis.addDatabase();
        diagnosis.list(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("settings.txt", "about.txt", "missing  engine: no engine")
                .contains("missing  database.txt: there is no database in");
        assertThat(new String(diagnosis.parts().get("settings.txt"), StandardCharsets.UTF_8))
                .contains("spring.datasource.password = ******");
    }

    @Test
    void wrongUsageIsRefusedByName() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertThat(DiagnoseProgram.run(List.of(), print, print)).isEqualTo(2);
        assertThat(DiagnoseProgram.run(List.of("--list", "--out=x"), print, print)).isEqualTo(2);
        assertThat(DiagnoseProgram.run(List.of("--list", "--seconds=601"), print, print))
                .isEqualTo(2);
        assertThat(DiagnoseProgram.run(List.of("--list", "--process=999999999"), print, print))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("name the archive with --out, or use --list")
                .contains("--seconds needs a whole number from 0 to 600, not 601")
                .contains("process 999999999 is no engine of this user");
    }
}
