package org.stillwater.server.wiring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ConfigurationStore;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.UserStore;
import org.stillwater.dal.Database;
import org.stillwater.dal.HistoryPoolSettings;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.server.settings.DatabaseSettings;
import org.stillwater.server.settings.EmbeddedDatabaseSettings;
import org.stillwater.server.settings.ExternalDatabaseSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.HistoryStoreSettings;
import org.stillwater.server.settings.MigrationLoginSettings;

/** The database: an external PostgreSQL, or the embedded one. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    /** The embedded server, unless another one is named. */
    @Bean(destroyMethod = "close")
    @Conditional(NoUrl.class)
    EmbeddedPostgres embeddedPostgres(EmbeddedDatabaseSettings settings, FleetSettings fleet) {
        return EmbeddedPostgres.start(DatabaseAddress.embedded(settings, fleet));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Database database(
            DatabaseSettings settings,
            ExternalDatabaseSettings external,
            MigrationLoginSettings migration,
            HistoryStoreSettings history,
            SecretBox secrets,
            ObjectProvider<EmbeddedPostgres> embedded)
            throws StoreUnavailable {
        EmbeddedPostgres server = embedded.getIfAvailable();
        org.stillwater.dal.DatabaseSettings connection =
                connection(settings, external, migration, server);
        HistoryPoolSettings readers =
                new HistoryPoolSettings(
                        history.readers(),
                        history.connectTimeout(),
                        history.statementTimeout(),
                        history.networkTimeout());
        // The lock of the data folder keeps other engines from the embedded server.
        return server != null
                ? Database.open(connection, readers, secrets)
                : Database.openAlone(
                        connection,
                        readers,
                        secrets,
                        "stillwater-engine of process " + ProcessHandle.current().pid());
    }

    @Bean
    ConfigurationStore configurations(Database database) {
        return database.configurations();
    }

    @Bean
    OperationStore operationStore(Database database) {
        return database.operations();
    }

    @Bean
    DefinitionStore definitionStore(Database database) {
        return database.definitions();
    }

    @Bean
    PoolStore poolStore(Database database) {
        return database.pools();
    }

    @Bean
    UserStore userStore(Database database) {
        return database.users();
    }

    private static org.stillwater.dal.DatabaseSettings connection(
            DatabaseSettings settings,
            ExternalDatabaseSettings external,
            MigrationLoginSettings migration,
            @Nullable EmbeddedPostgres embedded) {
        if (embedded != null) {
            return DatabaseAddress.embedded(
                    embedded.jdbcUrl(), embedded.engine(), embedded.owner(), settings);
        }
        return DatabaseAddress.external(external, migration, settings);
    }

    /** No other server is named. */
    static final class NoUrl extends NoneNestedConditions {

        NoUrl() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class Named {}
    }
}
