package org.stillwater.server;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/**
 * The classes of all modules, without tests. Reading them with the libraries that they use takes
 * longer than any rule about them, so the tests of a JVM share one copy.
 */
public final class ProductClasses {

    private static final JavaClasses ALL =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(new ArchitectureTest.NoTestJars())
                    .importPackages("org.stillwater");

    private ProductClasses() {}

    /** Those of all modules, the simulators and the benchmarks included. */
    public static JavaClasses all() {
        return ALL;
    }

    /** Those in packages of which each matches one pattern of ArchUnit, such as {@code a.b..}. */
    public static JavaClasses in(String... patterns) {
        return ALL.that(JavaClass.Predicates.resideInAnyPackage(patterns));
    }
}
