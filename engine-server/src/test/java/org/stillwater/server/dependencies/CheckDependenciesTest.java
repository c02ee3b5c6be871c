package org.stillwater.server.dependencies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckDependenciesTest {

    @TempDir private Path folder;
    private Path sbom;
    private Path database;
    private String out = "";
    private String err = "";

    @BeforeEach
    void files() throws IOException {
        sbom =
                Files.writeString(
                        folder.resolve("sbom.json"),
                        """
                        {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [
                          {"type": "library", "group": "org.example", "name": "leaky", "version": "1.2.10",
                           "purl": "pkg:maven/org.example/leaky@1.2.10?type=jar"},
                          {"type": "library", "group": "org.example", "name": "sound", "version": "2.0",
                           "purl": "pkg:maven/org.example/sound@2.0?type=jar",
                           "components": [{"type": "library", "purl": "pkg:maven/org.example/inner@3.0%2Bb?type=jar"}]},
                          {"type": "operating-system", "name": "none"}]}
                        """);
        database = Files.createDirectory(folder.resolve("database"));
    }

    private static String record(String id, String library, String events) {
        return """
        {"id": "%s", "aliases": ["CVE-2026-1"], "modified": "2026-11-01T00:00:00Z", "summary": "It\\nleaks",
         "database_specific": {"severity": "HIGH"},
         "affected": [{"package": {"ecosystem": "Maven", "name": "%s"},
                       "ranges": [{"type": "ECOSYSTEM", "events": [%s]}]}]}
        """
                .formatted(id, library, events);
    }

    private void known(String id, String library, String events) throws IOException {
        Path _ = Files.writeString(database.resolve(id + ".json"), record(id, library, events));
    }

    private int run(String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int code =
                CheckDependencies.run(
                        List.of(arguments),
                        new PrintStream(output, true, StandardCharsets.UTF_8),
                        new PrintStream(errors, true, StandardCharsets.UTF_8));
        out = output.toString(StandardCharsets.UTF_8);
        err = errors.toString(StandardCharsets.UTF_8);
        return code;
    }

    private int check(String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("--sbom", sbom.toString(), "--database", "" + database));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    @Test
    void aLibraryWithAKnownVulnerabilityIsNamedAndOthersAreNot() throws IOException {
        known("GHSA-1", "org.example:leaky", "{\"introduced\": \"0\"}, {\"fixed\": \"1.2.11\"}");
        known("GHSA-2", "org.example:sound", "{\"introduced\": \"0\"}, {\"fixed\": \"2.0\"}");
        known("GHSA-3", "org.example:absent", "{\"introduced\": \"0\"}");
        assertThat(check()).isEqualTo(1);
        assertThat(out.lines())
                .containsExactly(
                        "org.example:leaky:1.2.10 GHSA-1 (CVE-2026-1) HIGH: It leaks; fixed in"
                                + " 1.2.11",
                        "3 libraries, 3 records (newest of 2026-11-01T00:00:00Z): 1"
                                + " vulnerability known, 0 accepted");
    }

    @Test
    void nothingKnownIsZero() throws IOException {
        known("GHSA-1", "org.example:leaky", "{\"introduced\": \"0\"}, {\"fixed\": \"1.2.9\"}");
        assertThat(check()).isZero();
        assertThat(out).contains("0 vulnerabilities known");
    }

    /** Versions are compared as in Maven, and ranges are read as in OSV. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"introduced\": \"1.2.9\"}, {\"fixed\": \"1.10\"} | 1",
                "{\"introduced\": \"1.2.11\"} | 0",
                "{\"introduced\": \"0\"}, {\"fixed\": \"1.2.10\"} | 0",
                "{\"introduced\": \"0\"}, {\"fixed\": \"1.2.10.Final\"} | 0",
                "{\"introduced\": \"1.2.10-rc1\"} | 1",
                "{\"introduced\": \"0\"}, {\"last_affected\": \"1.2.10\"} | 1",
                "{\"introduced\": \"0\"}, {\"last_affected\": \"1.2.9\"} | 0",
                "{\"fixed\": \"1.1\"}, {\"introduced\": \"1.2\"}, {\"introduced\": \"0\"} | 1",
                "{\"introduced\": \"0\"}, {\"fixed\": \"1.1\"}, {\"introduced\": \"1.2\"},"
                        + " {\"fixed\": \"1.3\"} | 1",
                "{\"introduced\": \"0\"}, {\"fixed\": \"1.1\"}, {\"introduced\": \"1.3\"} | 0"
            })
    void ranges(String events, int code) throws IOException {
        known("GHSA-1", "org.example:leaky", events);
        assertThat(check()).isEqualTo(code);
    }

    @Test
    void singleVersionsNestedComponentsAndOtherRegistriesCount() throws IOException {
        Path _ =
                Files.writeString(
                        database.resolve("a.json"),
                        """
                        {"id": "X-1", "affected": [{"package": {"ecosystem": "Maven:https://repo.example", "name": "org.example:inner"},
                         "versions": ["2.9", "3.0+b"]}]}
                        """);
        assertThat(check()).isEqualTo(1);
        assertThat(out).contains("org.example:inner:3.0+b X-1; no fixed version is known");
    }

    @Test
    void withdrawnRecordsAndOtherEcosystemsDoNot() throws IOException {
        String record = record("X-1", "org.example:leaky", "{\"introduced\": \"0\"}");
        Path _ =
                Files.writeString(
                        database.resolve("a.json"),
                        record.replaceFirst("\\{", "{\"withdrawn\": \"2026-01-01T00:00:00Z\","));
        Path _ =
                Files.writeString(
                        database.resolve("b.json"), record.replace("\"Maven\"", "\"PyPI\""));
        assertThat(check()).isZero();
        assertThat(out).contains("1 records");
    }

    @Test
    void aZipFileIsReadAsOsvExportsIt() throws IOException {
        Path zip = folder.resolve("all.zip");
        try (ZipOutputStream files = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (int i = 0; i < 3; i++) {
                files.putNextEntry(new ZipEntry("X-" + i + ".json"));
                files.write(
                        record("X-" + i, "org.example:leaky", "{\"introduced\": \"" + i + "\"}")
                                .getBytes(StandardCharsets.UTF_8));
                files.closeEntry();
            }
        }
        assertThat(run("--sbom=" + sbom, "--database=" + zip)).isEqualTo(1);
        assertThat(out).contains("X-0", "X-1", "2 vulnerabilities known").doesNotContain("X-2 ");
    }

    @Test
    void acceptedVulnerabilitiesAreShownAndDoNotCount() throws IOException {
        known("GHSA-1", "org.example:leaky", "{\"introduced\": \"0\"}");
        Path accepted =
                Files.writeString(
                        folder.resolve("accepted"), "# looked at\nCVE-2026-1 not reachable here\n");
        assertThat(check("--accept", accepted.toString())).isZero();
        assertThat(out).contains("accepted: not reachable here", "0 vulnerabilities known, 1");
        Path _ = Files.writeString(accepted, "CVE-2026-1\n");
        assertThat(check("--accept", accepted.toString())).isEqualTo(2);
        assertThat(err).contains("gives no reason");
    }

    /** No answer is better than one from an empty database. */
    @Test
    void unreadableDataIsNeverCountedAsNoVulnerability() throws IOException {
        assertThat(check()).isEqualTo(2);
        assertThat(err).contains("no record about Maven");
        Path bad = Files.writeString(database.resolve("bad.json"), "{\"id\": ");
        known("GHSA-1", "org.example:leaky", "{\"introduced\": \"0\"}");
        assertThat(check()).isEqualTo(2);
        assertThat(err).contains("bad.json", "no JSON");
        Files.delete(bad);
        known("GHSA-2", "org.example:leaky", "{\"odd\": \"0\"}");
        assertThat(check()).isEqualTo(2);
        assertThat(err).contains("GHSA-2", "unknown kind");
        assertThat(run("--sbom", sbom + "x", "--database", "" + database)).isEqualTo(2);
        assertThat(err).contains("no such file");
        Path _ = Files.writeString(sbom, "{\"bomFormat\": \"CycloneDX\", \"components\": []}");
        assertThat(check()).isEqualTo(2);
        assertThat(err).contains("no library");
    }

    @Test
    void wrongUsageIsExplained() {
        assertThat(run("--help")).isZero();
        assertThat(out).contains("--database", "Exit code");
        assertThat(run()).isEqualTo(2);
        assertThat(err).contains("--database is missing", "--help");
        assertThat(run("--databse", "x")).isEqualTo(2);
        assertThat(run("--database")).isEqualTo(2);
    }
}
