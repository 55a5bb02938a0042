int bioauth_clinux;
