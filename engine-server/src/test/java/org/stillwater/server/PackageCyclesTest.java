package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rule against circles of packages fails where there is one. */
class PackageCyclesTest {

    private static final String SAMPLES = "org.stillwater.server.cycles.";

    private static void check(String root) {
        ArchitectureTest.packagesHaveNoCycles(root)
                .check(new ClassFileImporter().importPackages(root));
    }

    @Test
    @DisplayName("two packages that use each other break the rule")
    void twoPackages() {
        assertThatThrownBy(() -> check(SAMPLES + "pair"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle detected")
                .hasMessageContaining("First")
                .hasMessageContaining("Second");
    }

    @Test
    @DisplayName("a root and a package below it that use each other break the rule")
    void rootAndPackage() {
        assertThatThrownBy(() -> check(SAMPLES + "rooted"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle detected")
                .hasMessageContaining("(root)");
    }

    @Test
    @DisplayName("packages that use each other in one direction keep the rule")
    void oneDirection() {
        assertThat(new ClassFileImporter().importPackages(SAMPLES + "straight")).hasSize(2);

        check(SAMPLES + "straight");
    }
}
