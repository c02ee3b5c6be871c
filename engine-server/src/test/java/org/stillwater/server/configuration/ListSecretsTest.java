package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.logging.DeferredLogs;
import org.springframework.boot.support.EnvironmentPostProcessorsFactory;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.server.settings.XapiSettings.Pool;

class ListSecretsTest {

    private static final String POOLS =
            """
            stillwater:
              xapi:
                pools:
                  - name: lab
                    addresses: [xcp-1, xcp-2]
                    password: of the file
                  - name: store
                    addresses: xcp-9
            """;

    @TempDir private Path folder;

    private GivenSettings given(Map<String, Object> variables, String... options) throws Exception {
        Path file = folder.resolve("stillwater.yaml");
        Files.writeString(file, POOLS);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        return GivenSettings.read(
                List.of(options), file.toString(), GivenEnvironment.of(variables));
    }

    private static List<Pool> pools(GivenSettings given) {
        return given.bind(XapiSettings.class).pools();
    }

    @Test
    void aVariableIsThePasswordOfThePoolInTheFile() throws Exception {
        GivenSettings given =
                given(
                        Map.of(
                                "STILLWATER_XAPI_POOLS_0_PASSWORD", "of lab",
                                "STILLWATER_XAPI_POOLS_1_PASSWORD", "of store"));
        assertThat(pools(given)).extracting(Pool::name).containsExactly("lab", "store");
        assertThat(pools(given)).extracting(Pool::password).containsExactly("of lab", "of store");
        assertThat(pools(given).getFirst().addresses()).containsExactly("xcp-1", "xcp-2");
        assertThat(ConfigurationCheck.of(given, false))
                .extracting(Finding::toString)
                .noneMatch(found -> found.contains("pools") || found.contains("POOLS"));
        assertThat(given.text(given.scrubber(folder)))
                .contains("stillwater.xapi.pools[1].name = store   # line 7 of ")
                .doesNotContain("of lab")
                .doesNotContain("of store");
    }

    @Test
    void aCredentialIsThePasswordOfThePoolInTheFile() throws Exception {
        Path credentials = Files.createDirectory(folder.resolve("credentials"));
        Files.writeString(credentials.resolve("stillwater.xapi.pools[1].password"), "of store\n");
        GivenSettings given = given(Map.of(CredentialSettings.VARIABLE, credentials.toString()));
        assertThat(pools(given))
                .extracting(Pool::password)
                .containsExactly("of the file", "of store");
    }

    @Test
    void aFolderOfFilesHasThePassword() throws Exception {
        Path secrets = Files.createDirectory(folder.resolve("secrets"));
        Files.writeString(secrets.resolve("stillwater.xapi.pools[1].password"), "of store");
        GivenSettings given = given(Map.of("SPRING_CONFIG_IMPORT", "configtree:" + secrets + "/"));
        assertThat(pools(given))
                .extracting(Pool::password)
                .containsExactly("of the file", "of store");
    }

    /** Else pools of the file would stand in a list that is given as a whole. */
    @Test
    void aListWithOtherMembersReplacesThatOfTheFile() throws Exception {
        GivenSettings given =
                given(
                        Map.of("STILLWATER_XAPI_POOLS_0_PASSWORD", "of the variable"),
                        "--stillwater.xapi.pools[0].name=other",
                        "--stillwater.xapi.pools[0].addresses=xcp-5");
        assertThat(pools(given)).extracting(Pool::name).containsExactly("other");
        assertThat(pools(given)).extracting(Pool::password).containsExactly("of the variable");
    }

    @Test
    void aPasswordWithoutItsPoolIsRefused() throws Exception {
        GivenSettings given = given(Map.of("STILLWATER_XAPI_POOLS_2_PASSWORD", "of no pool"));
        assertThatThrownBy(() -> pools(given))
                .isInstanceOf(BindException.class)
                .rootCause()
                .hasMessageContaining("stillwater.xapi.pools[].name");
    }

    /** The engine's start reads the same: credentials come first, completed lists last. */
    @Test
    void theEngineCompletesListsAfterItsCredentials() {
        List<String> names =
                EnvironmentPostProcessorsFactory.fromSpringFactories(getClass().getClassLoader())
                        .getEnvironmentPostProcessors(
                                new DeferredLogs(), new DefaultBootstrapContext())
                        .stream()
                        .map(each -> each.getClass().getSimpleName())
                        .toList();
        assertThat(names)
                .containsSubsequence("CredentialSettings", "ListSecrets")
                .endsWith("ListSecrets");
    }
}
