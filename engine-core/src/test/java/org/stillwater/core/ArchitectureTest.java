package org.stillwater.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "org.stillwater.core", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule theCoreKnowsTheJdkOnly =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "org.stillwater.core..",
                            "java..",
                            "javax.xml..",
                            "org.w3c.dom..",
                            "org.xml.sax..",
                            "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule theCoreDoesNoIoAndHasNoThreads =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "java.sql..",
                            "java.net..",
                            "java.nio.file..",
                            "java.nio.channels..",
                            "java.util.concurrent..",
                            "javax.sql..")
                    .orShould()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("java.lang.Thread");

    @ArchTest
    static final ArchRule theCoreHasNoClock =
            noClasses()
                    .should()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(java.time.Instant.class, "now");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("org.stillwater.core.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule knownStateSeesNoReportNoPortAndNoDecision =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "..core.audit..",
                            "..core.cluster..",
                            "..core.definition..",
                            "..core.host..",
                            "..core.id..",
                            "..core.value..",
                            "..core.vm..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..core.analysis..",
                            "..core.command..",
                            "..core.connection..",
                            "..core.fence..",
                            "..core.report..",
                            "..core.schedule..",
                            "..core.store..");
}
