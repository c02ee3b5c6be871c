package org.stillwater.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Calendar;
import java.util.TimeZone;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;

/** The arrows between the engine's modules, and rules for all of them. */
@AnalyzeClasses(
        packages = {
            "org.stillwater.core",
            "org.stillwater.monitoring",
            "org.stillwater.command",
            "org.stillwater.ovirt",
            "org.stillwater.vdsm",
            "org.stillwater.dal",
            "org.stillwater.server"
        },
        importOptions = {DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {

    /** Test classes of other modules come as jars when the build has got to packaging. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String CORE = "org.stillwater.core..";
    private static final String MONITORING = "org.stillwater.monitoring..";
    private static final String COMMANDS = "org.stillwater.command..";
    private static final String OVIRT = "org.stillwater.ovirt..";
    private static final String VDSM = "org.stillwater.vdsm..";
    private static final String DAL = "org.stillwater.dal..";
    private static final String SERVER = "org.stillwater.server..";
    private static final String API = "org.stillwater.server.api.";

    @ArchTest
    static final ArchRule theCoreSeesNoOtherModule =
            noClasses()
                    .that()
                    .resideInAPackage(CORE)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            MONITORING,
                            COMMANDS,
                            VDSM,
                            DAL,
                            SERVER,
                            "org.springframework..",
                            "java.sql..",
                            "javax.sql..");

    @ArchTest
    static final ArchRule monitoringSeesNeitherCommandsNorAdapters =
            noClasses()
                    .that()
                    .resideInAPackage(MONITORING)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            COMMANDS,
                            VDSM,
                            DAL,
                            SERVER,
                            "org.springframework..",
                            "java.sql..",
                            "javax.sql..");

    @ArchTest
    static final ArchRule commandsSeeTheCoreAndMonitoringOnly =
            noClasses()
                    .that()
                    .resideInAPackage(COMMANDS)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            VDSM,
                            DAL,
                            SERVER,
                            "org.springframework..",
                            "java.sql..",
                            "javax.sql..");

    @ArchTest
    static final ArchRule theCompatibleApiKnowsNoFrameworkAndNoAdapter =
            noClasses()
                    .that()
                    .resideInAPackage(OVIRT)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            VDSM,
                            DAL,
                            SERVER,
                            "org.springframework..",
                            "jakarta..",
                            "java.sql..",
                            "javax.sql..");

    @ArchTest
    static final ArchRule nobodyButTheServerSeesTheCompatibleApi =
            noClasses()
                    .that()
                    .resideInAnyPackage(CORE, MONITORING, COMMANDS, VDSM, DAL)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(OVIRT);

    @ArchTest
    static final ArchRule onlyTheServerSeesRelays =
            noClasses()
                    .that()
                    .resideInAnyPackage(CORE, MONITORING, COMMANDS, OVIRT, VDSM, DAL)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.stillwater.relay..", "io.grpc..");

    @ArchTest
    static final ArchRule packagesOfTheCompatibleApiHaveNoCycles =
            slices().matching("org.stillwater.ovirt.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule theAdapterToHostsSeesNeitherMonitoringNorDatabase =
            noClasses()
                    .that()
                    .resideInAPackage(VDSM)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            MONITORING,
                            COMMANDS,
                            DAL,
                            SERVER,
                            "org.springframework..",
                            "java.sql..",
                            "javax.sql..");

    @ArchTest
    static final ArchRule theAdapterToTheDatabaseSeesNeitherMonitoringNorHosts =
            noClasses()
                    .that()
                    .resideInAPackage(DAL)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(MONITORING, COMMANDS, VDSM, SERVER);

    @ArchTest
    static final ArchRule theEngineKnowsNothingOfItsSimulator =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.stillwater.fake..", "org.stillwater.testkit..");

    @ArchTest
    static final ArchRule thereIsOneClock =
            noClasses()
                    .that()
                    .doNotHaveFullyQualifiedName(SystemClock.class.getName())
                    .should()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(Instant.class, "now");

    /** Hours and days are UTC's, so that no night has 23 or 25 hours. */
    @ArchTest
    static final ArchRule noResultDependsOnTheTimeZoneOfTheMachine =
            noClasses()
                    .should()
                    .callMethod(ZoneId.class, "systemDefault")
                    .orShould()
                    .callMethod(TimeZone.class, "getDefault")
                    .orShould()
                    .callMethod(Calendar.class, "getInstance")
                    .orShould()
                    .callMethod(LocalDate.class, "now")
                    .orShould()
                    .callMethod(LocalDateTime.class, "now");

    @ArchTest
    static final ArchRule nothingIsInjectedIntoFields =
            noFields()
                    .should()
                    .beAnnotatedWith(Autowired.class)
                    .orShould()
                    .beAnnotatedWith(Value.class)
                    .orShould()
                    .beAnnotatedWith("jakarta.inject.Inject")
                    .orShould()
                    .beAnnotatedWith("jakarta.annotation.Resource");

    @ArchTest
    static final ArchRule nothingIsInjectedIntoSetters =
            methods().should().notBeAnnotatedWith(Autowired.class);

    @ArchTest
    static final ArchRule constantsAreTheOnlyStaticState =
            fields().that()
                    .areStatic()
                    .and()
                    .areDeclaredInClassesThat()
                    .resideInAPackage(SERVER)
                    .should()
                    .beFinal();

    @ArchTest
    static final ArchRule packagesOfTheServerHaveNoCycles =
            slices().matching("org.stillwater.server.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule packagesOfMonitoringHaveNoCycles =
            packagesHaveNoCycles("org.stillwater.monitoring");

    @ArchTest
    static final ArchRule packagesOfCommandsHaveNoCycles =
            packagesHaveNoCycles("org.stillwater.command");

    /** The root package is the base of commands: the others share it. */
    @ArchTest
    static final ArchRule theBaseOfCommandsKnowsNoPackageOfThem =
            noClasses()
                    .that()
                    .resideInAPackage("org.stillwater.command")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.stillwater.command.*..");

    /** Callers outside use {@code CommandEngine}, the door of commands. */
    @ArchTest
    static final ArchRule onlyCommandsUseTheirContext =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(COMMANDS)
                    .should()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("org.stillwater.command.CommandContext");

    /** The packages below a root, and the root itself, depend on each other without a circle. */
    static ArchRule packagesHaveNoCycles(String root) {
        return slices().assignedFrom(new PackagesBelow(root)).should().beFreeOfCycles();
    }

    /** Each package below a root with all that is in it, and the root's own classes. */
    private record PackagesBelow(String root) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (name.equals(root)) {
                return SliceIdentifier.of("(root)");
            }
            return name.startsWith(root + ".")
                    ? SliceIdentifier.of(name.substring(root.length() + 1).split("\\.", 2)[0])
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages of " + root;
        }
    }

    @ArchTest
    static final ArchRule subjectsOfTheNativeApiHaveNoCycles =
            slices().matching("org.stillwater.server.api.(*)..").should().beFreeOfCycles();

    /** Rows know HTTP, HTTP knows no rows, and neither knows a subject. */
    @ArchTest
    static final ArchRule rowsOfTheNativeApiKnowNoSubject =
            noClasses()
                    .that()
                    .resideInAPackage(API + "rows..")
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("org.stillwater.server.api..")
                                    .and(resideOutsideOfPackages(API + "rows..", API + "web..")));

    @ArchTest
    static final ArchRule webOfTheNativeApiKnowsNoSubject =
            noClasses()
                    .that()
                    .resideInAPackage(API + "web..")
                    .should()
                    .dependOnClassesThat(
                            resideInAPackage("org.stillwater.server.api..")
                                    .and(resideOutsideOfPackages(API + "web..")));

    @ArchTest
    static final ArchRule everyClassOfTheNativeApiHasASubject =
            noClasses()
                    .that()
                    .haveSimpleNameNotEndingWith("package-info")
                    .should()
                    .resideInAPackage("org.stillwater.server.api");
}
