package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The SBOM that the build makes names every library in the jar. */
class SbomIT {

    @Test
    void theSbomInTheJarNamesEveryLibraryInTheJar() throws IOException {
        Path target = Path.of("target");
        Path jar;
        try (Stream<Path> files = Files.list(target)) {
            jar =
                    files.filter(file -> file.toString().matches(".*/engine-server-[^/]*\\.jar"))
                            .filter(file -> !file.toString().endsWith("-plain.jar"))
                            .findFirst()
                            .orElseThrow();
        }
        try (JarFile content = new JarFile(jar.toFile())) {
            String location = content.getManifest().getMainAttributes().getValue("Sbom-Location");
            assertThat(location).isEqualTo("META-INF/sbom/application.cdx.json");
            JsonNode sbom =
                    JsonMapper.builder()
                            .build()
                            .readTree(content.getInputStream(content.getEntry(location)));
            assertThat(sbom.path("bomFormat").asString()).isEqualTo("CycloneDX");
            Set<String> named = new HashSet<>();
            for (JsonNode each : sbom.path("components")) {
                named.add(each.path("name").asString() + "-" + each.path("version").asString());
            }
            Set<String> shipped = new HashSet<>();
            content.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.matches("BOOT-INF/lib/.*\\.jar"))
                    .map(name -> name.replaceAll("BOOT-INF/lib/(.*)\\.jar", "$1"))
                    .forEach(shipped::add);
            assertThat(shipped).hasSizeGreaterThan(50);
            shipped.remove(
                    shipped.stream()
                            .filter(n -> n.startsWith("spring-boot-jarmode"))
                            .findFirst()
                            .orElse(""));
            assertThat(named).containsAll(shipped);
        }
    }
}
