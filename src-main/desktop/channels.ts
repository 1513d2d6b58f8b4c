/** Names of the messages between preload and main, beside the port itself. Only those two know them. */
export const connectChannel = "reprise:connect";
export const chooseModelFileChannel = "reprise:choose-model-file";
export const chooseImatrixChannel = "reprise:choose-importance-matrix";
export const menuCommandChannel = "reprise:menu-command";
