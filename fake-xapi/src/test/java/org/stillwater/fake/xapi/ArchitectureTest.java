package org.stillwater.fake.xapi;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The simulator must be able to disagree with the engine: it shares no code with it. */
@AnalyzeClasses(
        packages = "org.stillwater.fake.xapi",
        importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

    /** Main classes only, wherever a build puts those of tests. */
    static final class NoTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test/org/") && !location.contains("/test-classes/");
        }
    }

    @ArchTest
    static final ArchRule theSimulatorSeesNoCodeOfTheEngine =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.stillwater.core..",
                            "org.stillwater.xapi..",
                            "org.stillwater.vdsm..",
                            "org.stillwater.monitoring..",
                            "com.fasterxml.aalto..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("org.stillwater.fake.xapi.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule theModelAndTheCodecKnowNoWorld =
            noClasses()
                    .that()
                    .resideInAnyPackage("..xapi.model..", "..xapi.codec..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("..xapi.world..", "..xapi.net..");

    @ArchTest
    static final ArchRule theWorldKnowsNoSockets =
            classes()
                    .that()
                    .resideInAPackage("..xapi.world..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "java.lang..",
                            "java.time..",
                            "java.util..",
                            "org.jspecify..",
                            "org.stillwater.fake.xapi.world..",
                            "org.stillwater.fake.xapi.model..",
                            "org.stillwater.fake.xapi.codec..");
}
