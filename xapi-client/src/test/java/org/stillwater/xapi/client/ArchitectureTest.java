package org.stillwater.xapi.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The adapter sees the core's ports and no simulator, and has no clock of its own. */
@AnalyzeClasses(packages = "org.stillwater.xapi", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

    /** Main classes only, wherever a build puts those of tests. */
    static final class NoTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test/org/") && !location.contains("/test-classes/");
        }
    }

    @ArchTest
    static final ArchRule theAdapterSeesTheCoreOnly =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.stillwater.fake..",
                            "org.stillwater.testkit..",
                            "org.stillwater.monitoring..",
                            "org.stillwater.command..",
                            "org.stillwater.vdsm..",
                            "org.stillwater.dal..",
                            "org.stillwater.server..",
                            "org.springframework..",
                            "java.sql..");

    @ArchTest
    static final ArchRule thereIsOneClock =
            noClasses()
                    .should()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(java.time.Instant.class, "now");
}
