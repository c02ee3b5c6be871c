package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * Programs of npm, installed once below the user's cache directory ({@code stillwater/}), so that
 * later runs need no network; deleting them installs them anew.
 */
final class NodePackages {

    private static final int INSTALL_SECONDS = 300;
    private static final int RUN_SECONDS = 300;

    private NodePackages() {}

    /**
     * The command that runs a program of a package with some arguments.
     *
     * @param name of the package
     * @param version of the package
     * @param program its script, below the package's folder
     */
    static PythonEnvironment.Ran run(
            String name,
            String version,
            String program,
            Map<String, String> environment,
            String... arguments)
            throws Exception {
        require();
        Path home =
                PythonEnvironment.cache()
                        .resolve("stillwater")
                        .resolve("npm-%s-%s".formatted(name.replaceAll("[^a-z-]", "-"), version));
        Path script = home.resolve("node_modules").resolve(name).resolve(program);
        if (!Files.exists(script)) {
            Files.createDirectories(home.getParent());
            Path made = Files.createTempDirectory(home.getParent(), "making-");
            ok(
                    PythonEnvironment.run(
                            List.of(
                                    "npm",
                                    "install",
                                    "--prefix",
                                    made.toString(),
                                    "--no-audit",
                                    "--no-fund",
                                    "--ignore-scripts",
                                    name + "@" + version),
                            Map.of(),
                            INSTALL_SECONDS));
            Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
        }
        List<String> command = new ArrayList<>(List.of("node", script.toString()));
        command.addAll(List.of(arguments));
        return PythonEnvironment.run(command, environment, RUN_SECONDS);
    }

    private static void require() throws InterruptedException {
        try {
            ok(PythonEnvironment.run(List.of("node", "--version"), Map.of(), RUN_SECONDS));
            ok(PythonEnvironment.run(List.of("npm", "--version"), Map.of(), RUN_SECONDS));
        } catch (IOException e) {
            Assumptions.abort("npm is not on this machine: " + e.getMessage());
        }
    }

    private static void ok(PythonEnvironment.Ran ran) {
        assertThat(ran.code()).as(ran.output()).isZero();
    }
}
